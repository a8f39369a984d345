<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>
<qgis version="3.22" styleCategories="Symbology|Labeling|Fields|MapTips|Temporal" labelsEnabled="1" hasScaleBasedVisibilityFlag="0">
  <temporal enabled="1" mode="1" startField="date" endField="" startExpression="" endExpression="" durationField="" durationUnit="min" fixedDuration="0" accumulate="0">
    <fixedRange>
      <start></start>
      <end></end>
    </fixedRange>
  </temporal>
  <renderer-v2 type="categorizedSymbol" attr="coalesce(&quot;direction&quot;, if(&quot;cause&quot; = 'determination', 'first ', '') || &quot;state&quot;)" enableorderby="1" forceraster="0" symbollevels="0">
    <categories>
      <category symbol="0" value="satisfied" label="enter" render="true"/>
      <category symbol="1" value="unsatisfied" label="leave" render="true"/>
      <category symbol="2" value="first satisfied" label="inside at first" render="true"/>
      <category symbol="3" value="first unsatisfied" label="outside at first" render="true"/>
      <category symbol="5" value="left_to_right" label="crossed, left to right" render="true"/>
      <category symbol="6" value="right_to_left" label="crossed, right to left" render="true"/>
      <category symbol="4" value="" label="no longer monitored" render="true"/>
    </categories>
    <symbols>
      <symbol type="marker" name="0" alpha="1" clip_to_extent="1" force_rhr="0">
        <layer class="SimpleMarker" enabled="1" locked="0" pass="0">
          <Option type="Map">
            <Option name="name" type="QString" value="triangle"/>
            <Option name="color" type="QString" value="0,48,95,255"/>
            <Option name="outline_color" type="QString" value="255,255,255,255"/>
            <Option name="outline_style" type="QString" value="solid"/>
            <Option name="outline_width" type="QString" value="0.4"/>
            <Option name="outline_width_unit" type="QString" value="MM"/>
            <Option name="size" type="QString" value="3.2"/>
            <Option name="size_unit" type="QString" value="MM"/>
            <Option name="offset" type="QString" value="-1.6,0"/>
            <Option name="offset_unit" type="QString" value="MM"/>
            <Option name="angle" type="QString" value="0"/>
          </Option>
        </layer>
      </symbol>
      <symbol type="marker" name="1" alpha="1" clip_to_extent="1" force_rhr="0">
        <layer class="SimpleMarker" enabled="1" locked="0" pass="0">
          <Option type="Map">
            <Option name="name" type="QString" value="triangle"/>
            <Option name="color" type="QString" value="194,59,0,255"/>
            <Option name="outline_color" type="QString" value="255,255,255,255"/>
            <Option name="outline_style" type="QString" value="solid"/>
            <Option name="outline_width" type="QString" value="0.4"/>
            <Option name="outline_width_unit" type="QString" value="MM"/>
            <Option name="size" type="QString" value="3.2"/>
            <Option name="size_unit" type="QString" value="MM"/>
            <Option name="offset" type="QString" value="-1.6,0"/>
            <Option name="offset_unit" type="QString" value="MM"/>
            <Option name="angle" type="QString" value="180"/>
          </Option>
        </layer>
      </symbol>
      <symbol type="marker" name="2" alpha="1" clip_to_extent="1" force_rhr="0">
        <layer class="SimpleMarker" enabled="1" locked="0" pass="0">
          <Option type="Map">
            <Option name="name" type="QString" value="circle"/>
            <Option name="color" type="QString" value="15,107,216,255"/>
            <Option name="outline_color" type="QString" value="255,255,255,255"/>
            <Option name="outline_style" type="QString" value="solid"/>
            <Option name="outline_width" type="QString" value="0.4"/>
            <Option name="outline_width_unit" type="QString" value="MM"/>
            <Option name="size" type="QString" value="2.6"/>
            <Option name="size_unit" type="QString" value="MM"/>
            <Option name="offset" type="QString" value="0,0"/>
            <Option name="angle" type="QString" value="0"/>
          </Option>
        </layer>
      </symbol>
      <symbol type="marker" name="3" alpha="1" clip_to_extent="1" force_rhr="0">
        <layer class="SimpleMarker" enabled="1" locked="0" pass="0">
          <Option type="Map">
            <Option name="name" type="QString" value="circle"/>
            <Option name="color" type="QString" value="255,255,255,255"/>
            <Option name="outline_color" type="QString" value="123,128,135,255"/>
            <Option name="outline_style" type="QString" value="solid"/>
            <Option name="outline_width" type="QString" value="0.4"/>
            <Option name="outline_width_unit" type="QString" value="MM"/>
            <Option name="size" type="QString" value="1.6"/>
            <Option name="size_unit" type="QString" value="MM"/>
            <Option name="offset" type="QString" value="0,0"/>
            <Option name="angle" type="QString" value="0"/>
          </Option>
        </layer>
      </symbol>
      <symbol type="marker" name="4" alpha="1" clip_to_extent="1" force_rhr="0">
        <layer class="SimpleMarker" enabled="1" locked="0" pass="0">
          <Option type="Map">
            <Option name="name" type="QString" value="diamond"/>
            <Option name="color" type="QString" value="176,50,154,255"/>
            <Option name="outline_color" type="QString" value="255,255,255,255"/>
            <Option name="outline_style" type="QString" value="solid"/>
            <Option name="outline_width" type="QString" value="0.4"/>
            <Option name="outline_width_unit" type="QString" value="MM"/>
            <Option name="size" type="QString" value="2.6"/>
            <Option name="size_unit" type="QString" value="MM"/>
            <Option name="offset" type="QString" value="0,0"/>
            <Option name="angle" type="QString" value="0"/>
          </Option>
        </layer>
      </symbol>
      <symbol type="marker" name="5" alpha="1" clip_to_extent="1" force_rhr="0">
        <layer class="SimpleMarker" enabled="1" locked="0" pass="0">
          <Option type="Map">
            <Option name="name" type="QString" value="arrow"/>
            <Option name="color" type="QString" value="27,31,36,255"/>
            <Option name="outline_color" type="QString" value="255,255,255,255"/>
            <Option name="outline_style" type="QString" value="solid"/>
            <Option name="outline_width" type="QString" value="0.2"/>
            <Option name="outline_width_unit" type="QString" value="MM"/>
            <Option name="size" type="QString" value="6"/>
            <Option name="size_unit" type="QString" value="MM"/>
            <Option name="offset" type="QString" value="0,0"/>
            <Option name="angle" type="QString" value="0"/>
          </Option>
          <data_defined_properties>
            <Option type="Map">
              <Option name="name" type="QString" value=""/>
              <Option name="properties" type="Map">
                <Option name="angle" type="Map">
                  <Option name="active" type="bool" value="true"/>
                  <Option name="field" type="QString" value="heading"/>
                  <Option name="type" type="int" value="2"/>
                </Option>
              </Option>
              <Option name="type" type="QString" value="collection"/>
            </Option>
          </data_defined_properties>
        </layer>
      </symbol>
      <symbol type="marker" name="6" alpha="1" clip_to_extent="1" force_rhr="0">
        <layer class="SimpleMarker" enabled="1" locked="0" pass="0">
          <Option type="Map">
            <Option name="name" type="QString" value="arrow"/>
            <Option name="color" type="QString" value="27,31,36,255"/>
            <Option name="outline_color" type="QString" value="255,255,255,255"/>
            <Option name="outline_style" type="QString" value="solid"/>
            <Option name="outline_width" type="QString" value="0.2"/>
            <Option name="outline_width_unit" type="QString" value="MM"/>
            <Option name="size" type="QString" value="6"/>
            <Option name="size_unit" type="QString" value="MM"/>
            <Option name="offset" type="QString" value="0,0"/>
            <Option name="angle" type="QString" value="0"/>
          </Option>
          <data_defined_properties>
            <Option type="Map">
              <Option name="name" type="QString" value=""/>
              <Option name="properties" type="Map">
                <Option name="angle" type="Map">
                  <Option name="active" type="bool" value="true"/>
                  <Option name="field" type="QString" value="heading"/>
                  <Option name="type" type="int" value="2"/>
                </Option>
              </Option>
              <Option name="type" type="QString" value="collection"/>
            </Option>
          </data_defined_properties>
        </layer>
      </symbol>
    </symbols>
    <orderby>
      <orderByClause asc="1" nullsFirst="0">"cause" &lt;> 'determination'</orderByClause>
    </orderby>
  </renderer-v2>
  <labeling type="simple">
    <settings calloutType="simple">
      <text-style fieldName="if(&quot;cause&quot; = 'determination' AND &quot;state&quot; = 'unsatisfied', NULL, &quot;identifier&quot; || ' ' || format_date(&quot;date&quot;, 'HH:mm'))" isExpression="1" fontFamily="Sans" fontSize="7" fontSizeUnit="Point" fontWeight="50" textColor="27,31,36,255" textOpacity="1">
        <text-buffer bufferDraw="1" bufferSize="0.8" bufferSizeUnits="MM" bufferColor="255,255,255,255" bufferOpacity="0.9" bufferJoinStyle="128"/>
      </text-style>
      <placement overlapHandling="PreventOverlap" allowDegraded="0" placement="6" dist="1.2" distUnits="MM" predefinedPositionOrder="TR,TL,BR,BL,R,L,TSR,BSR" offsetType="1"/>
      <rendering drawLabels="1" obstacle="1" scaleVisibility="0" displayAll="0"/>
      <dd_properties>
        <Option type="Map">
          <Option name="name" type="QString" value=""/>
          <Option name="properties" type="Map">
            <Option name="Color" type="Map">
              <Option name="active" type="bool" value="true"/>
              <Option name="expression" type="QString" value="CASE WHEN &quot;direction&quot; IS NULL AND &quot;cause&quot; &lt;&gt; 'determination' AND &quot;state&quot; = 'satisfied' THEN '#00305f' WHEN &quot;direction&quot; IS NULL AND &quot;cause&quot; &lt;&gt; 'determination' AND &quot;state&quot; = 'unsatisfied' THEN '#c23b00' END"/>
              <Option name="type" type="int" value="3"/>
            </Option>
          </Option>
          <Option name="type" type="QString" value="collection"/>
        </Option>
      </dd_properties>
    </settings>
  </labeling>
  <fieldConfiguration>
    <field name="date" configurationFlags="None">
      <editWidget type="DateTime">
        <config>
          <Option type="Map">
            <Option name="allow_null" type="bool" value="true"/>
            <Option name="calendar_popup" type="bool" value="true"/>
            <Option name="display_format" type="QString" value="yyyy-MM-dd HH:mm:ss"/>
            <Option name="field_format" type="QString" value="yyyy-MM-dd HH:mm:ss"/>
            <Option name="field_iso_format" type="bool" value="false"/>
          </Option>
        </config>
      </editWidget>
    </field>
    <field name="evidence_date" configurationFlags="None">
      <editWidget type="DateTime">
        <config>
          <Option type="Map">
            <Option name="allow_null" type="bool" value="true"/>
            <Option name="calendar_popup" type="bool" value="true"/>
            <Option name="display_format" type="QString" value="yyyy-MM-dd HH:mm:ss"/>
            <Option name="field_format" type="QString" value="yyyy-MM-dd HH:mm:ss"/>
            <Option name="field_iso_format" type="bool" value="false"/>
          </Option>
        </config>
      </editWidget>
    </field>
  </fieldConfiguration>
  <mapTip>&lt;b&gt;[% "identifier" %]&lt;/b&gt; [% "state" %] ([% "cause" %])&lt;br/&gt;[% format_date("date", 'yyyy-MM-dd HH:mm:ss') %] UTC&lt;br/&gt;[% round("boundary_distance", 1) %] m from the line</mapTip>
  <previewExpression>"identifier" || ' ' || "state"</previewExpression>
  <layerGeometryType>0</layerGeometryType>
</qgis>
