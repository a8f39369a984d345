<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>
<qgis version="3.22" styleCategories="Symbology|Labeling|MapTips" labelsEnabled="1" hasScaleBasedVisibilityFlag="0">
  <renderer-v2 type="singleSymbol" enableorderby="0" forceraster="0" symbollevels="0">
    <symbols>
      <symbol type="fill" name="0" alpha="1" clip_to_extent="1" force_rhr="0">
        <layer class="SimpleFill" enabled="1" locked="0" pass="0">
          <Option type="Map">
            <Option name="color" type="QString" value="15,107,216,60"/>
            <Option name="style" type="QString" value="no"/>
            <Option name="outline_color" type="QString" value="15,107,216,255"/>
            <Option name="outline_style" type="QString" value="solid"/>
            <Option name="outline_width" type="QString" value="0.5"/>
            <Option name="outline_width_unit" type="QString" value="MM"/>
            <Option name="joinstyle" type="QString" value="round"/>
            <Option name="offset" type="QString" value="0,0"/>
          </Option>
        </layer>
      </symbol>
    </symbols>
  </renderer-v2>
  <labeling type="simple">
    <settings calloutType="simple">
      <text-style fieldName="identifier" isExpression="0" fontFamily="Sans" fontSize="8" fontSizeUnit="Point" fontWeight="50" textColor="27,31,36,255" textOpacity="1">
        <text-buffer bufferDraw="1" bufferSize="0.8" bufferSizeUnits="MM" bufferColor="255,255,255,255" bufferOpacity="0.9" bufferJoinStyle="128"/>
      </text-style>
      <placement overlapHandling="PreventOverlap" allowDegraded="0" placement="1" quadOffset="4" centroidInside="1" centroidWhole="1" dist="0"/>
      <rendering drawLabels="1" obstacle="1" scaleVisibility="0" displayAll="0"/>
    </settings>
  </labeling>
  <mapTip>&lt;b&gt;[% "identifier" %]&lt;/b&gt; [% round("radius", 1) %] m</mapTip>
  <previewExpression>"identifier"</previewExpression>
  <layerGeometryType>2</layerGeometryType>
</qgis>
