<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>
<qgis version="3.22" styleCategories="Fields">
  <aliases>
    <alias field="entry_delay" index="0" name="entry delay (s)"/>
    <alias field="exit_delay" index="1" name="exit delay (s)"/>
    <alias field="mean_delay" index="2" name="mean delay (s)"/>
    <alias field="missed_visits" index="3" name="missed visits"/>
    <alias field="false_visits" index="4" name="false visits"/>
  </aliases>
  <previewExpression>"policy"</previewExpression>
  <layerGeometryType>4</layerGeometryType>
</qgis>
