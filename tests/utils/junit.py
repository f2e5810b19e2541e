# ruff: noqa: E501  -- the schema as it is
"""The schema of JUnit XML."""

from __future__ import annotations

#: What Jenkins and its likes read: https://github.com/testmoapp/junitxml lists the elements and attributes.
JUNIT = """\
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
 <xs:attributeGroup name="counts">
  <xs:attribute name="name" use="required"/><xs:attribute name="tests" type="xs:nonNegativeInteger" use="required"/>
  <xs:attribute name="failures" type="xs:nonNegativeInteger" use="required"/>
  <xs:attribute name="errors" type="xs:nonNegativeInteger" use="required"/>
 </xs:attributeGroup>
 <xs:element name="testsuites"><xs:complexType>
  <xs:sequence><xs:element ref="testsuite" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>
  <xs:attributeGroup ref="counts"/>
 </xs:complexType></xs:element>
 <xs:element name="testsuite"><xs:complexType>
  <xs:sequence><xs:element ref="testcase" maxOccurs="unbounded"/></xs:sequence>
  <xs:attributeGroup ref="counts"/><xs:attribute name="skipped" type="xs:nonNegativeInteger"/>
 </xs:complexType></xs:element>
 <xs:element name="testcase"><xs:complexType>
  <xs:sequence>
   <xs:element name="failure" minOccurs="0"><xs:complexType mixed="true">
    <xs:attribute name="message" use="required"/><xs:attribute name="type" use="required"/>
   </xs:complexType></xs:element>
   <xs:element name="system-out" type="xs:string" minOccurs="0"/>
  </xs:sequence>
  <xs:attribute name="name" use="required"/><xs:attribute name="classname" use="required"/>
  <xs:attribute name="time" type="xs:decimal"/>
 </xs:complexType></xs:element>
</xs:schema>
"""
