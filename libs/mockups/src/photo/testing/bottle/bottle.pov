// A bottle on a table, rendered by POV-Ray 3.7 as a photo of a blank. Lengths are in millimetres.
// Declare=Label=0: blank, 1: label.png around its body. Declare=Paint=0: teal, 1: white, 2: black,
// 3: its mask.
#version 3.7;
global_settings { assumed_gamma 1.0 max_trace_level 6 }
#declare Radius = 36;
#declare Bottom = 20;
#declare Top = 110;

camera {
  perspective
  location <30, 235, -520>
  look_at <0, 80, 0>
  right x
  up y
  angle 20
}

#if (Paint < 3)
light_source { <-260, 420, -380> rgb 0.85 area_light <90, 0, 0>, <0, 70, 60>, 6, 6 adaptive 1 jitter }
light_source { <420, 260, -260> rgb 0.30 area_light <80, 0, 0>, <0, 80, 0>, 5, 5 adaptive 1 jitter }
light_source { <0, 600, 100> rgb 0.22 shadowless }
#end

#declare Lit = (Paint < 3 ? 0.1 : 0);
#declare Wall = texture { pigment { rgb 0.80 } finish { ambient Lit diffuse 0.72 } }
plane { y, 0 texture { Wall } }
plane { -z, -260 texture { Wall } }

#declare Colors = array[4] { srgb <0.10, 0.52, 0.56>, srgb <0.98, 0.98, 0.98>, srgb <0.12, 0.12, 0.13>, rgb 1 }
#declare Plastic = finish { ambient (Paint < 3 ? 0.1 : 1) diffuse 0.78 specular 0.35 roughness 0.012 reflection 0 }
#declare Painted = texture { pigment { Colors[Paint] } finish { Plastic } }

lathe {
  bezier_spline 20
  <0, 2>, <12, 1>, <24, 0>, <31, 0>
  <31, 0>, <34, 0>, <36, 3>, <36, 8>
  <36, 8>, <36, 12>, <36, 16>, <36, Bottom>
  <36, Top>, <36, 120>, <33, 126>, <24, 131>
  <24, 131>, <17, 134>, <15, 136>, <15, 142>
  texture { Painted }
}
cylinder {
  <0, Bottom, 0>, <0, Top, 0>, Radius open
  texture { Painted }
  #if (Label = 1)
    // The image covers the whole body; its middle faces the front
    texture {
      pigment { image_map { png "label.png" map_type 2 once interpolate 2 } scale <1, Top - Bottom, 1> translate y * Bottom rotate y * -90 }
      finish { Plastic }
    }
  #end
}
cylinder { <0, 139, 0>, <0, 158, 0>, 19 texture { pigment { rgb 0.16 } finish { ambient Lit diffuse 0.7 specular 0.2 roughness 0.05 } } }
torus { 18, 1 translate y * 158 texture { pigment { rgb 0.16 } finish { ambient Lit diffuse 0.7 specular 0.2 roughness 0.05 } } }
