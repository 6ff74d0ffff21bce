"""Draws the seams, stitches and ribs of a sweatshirt or hoodie, then exports its layers.

    python3 finish_fleece.py <sweat|hoodie> <angle> <folder with the passes> <blanks folder>
"""
import os, sys
sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')]
from layers import *
from fleece import *
from patterns import polyline_distance

name, angle, folder, blanks = sys.argv[1:5]
view = angle.split('-')[0]
z = build()
shot = Shot(os.path.join(folder, f'{name}-{angle}'), expose=(88, .95), contrast=1.7, wall_blur=12)
x, y, part = shot.x, shot.y, shot.part
line = lambda d, w: np.exp(-(d / w) ** 2)
f = np.ones_like(shot.detail)
body, sleeve = (part == FRONT) | (part == BACK), part == SLEEVES
seam, wrist, end = z['xy'][0, RIB, 30, 1], *(q(z['uv'][z['part'] == CUFF_RIB][..., 1]) for q in (np.min, np.max))       # of the ribs: heights, lengths along a sleeve


def groove(d, on, depth):
    """Draws a seam at d = 0: a dark line, soft shadow on both sides."""
    global f
    f -= on * (depth * line(d, .0016) + .35 * depth * line(d, .0055))


def stitches(d, on, along, depth=.10):
    """Draws a twin-needle seam: two lines of stitches, and the cloth between them slightly raised."""
    global f
    for o in (-.0028, .0028):
        f -= on * depth * (.72 + .28 * np.sign(np.sin(2 * np.pi * along / .0034))) * line(d - o, .0010)
    f += on * .03 * line(d, .0018)


def ribs(on, along, pitch, depth):
    global f
    f -= on * depth * (.5 + .5 * np.cos(2 * np.pi * along / pitch)) ** 1.5


hem, cuff = part == HEM_RIB, part == CUFF_RIB
ribs(hem, x, .0056, .17)
ribs(cuff, x, .0056, .17)
groove(y - seam, body | hem, .20)
groove(y - wrist, sleeve | cuff, .20)
stitches(y - seam - .008, body, x, .07)
stitches(wrist - .008 - y, sleeve, x, .07)
f -= hem * .10 * line(y, .003) + cuff * .10 * line(y - end, .003)
groove(y, sleeve, .17)
stitches(y - .008, sleeve, x, .07)
if name == 'sweat':
    on = part == COLLAR_RIB
    ribs(on, x, .0046, .13)
    for side, line_of in ((FRONT, 0), (BACK, 1)):
        neck = polyline_distance(z['xy'][line_of, NECK], x, y)
        groove(neck, part == side, .20)
        if view == 'front' and side == BACK:                                    # a tape inside
            stitches(neck - .012, part == side, x, .16)
        else:
            stitches(neck - .007, part == side, x, .07)
else:
    on = part == HOOD_PART
    groove(np.abs(y) - .024, on & (y > 0), .06)
    stitches(y - .024, on, x, .10)
    stitches(y + .024, on, x, .08)
    p = hood(z['p'][z['number'][NECK]])[0][:, 25]
    middle = x - np.linalg.norm(np.diff(p, axis=0), axis=1).sum() / 2                     # seam at the back
    groove(middle, on & (y > .004), .16)
    stitches(np.abs(middle) - .007, on & (y > .004), y, .05)
if name == 'hoodie' and view == 'front':
    on = part == POCKET_PART
    slant = np.clip((y - POCKET['side']) / (POCKET['top'] - POCKET['side']), 0, 1)
    edge = POCKET['half'] + (POCKET['top_half'] - POCKET['half']) * slant ** 1.1 - np.abs(x)
    stitches(POCKET['top'] - y - .008, on, x, .14)
    stitches(edge - .020, on & (slant > 0), y, .14)                                # the hem of the opening
    stitches(edge - .006, on & (slant <= 0), y, .14)
    stitches(y - POCKET['bottom'] - .006, on, x, .10)
    for d in (POCKET['top'] - y, edge, y - POCKET['bottom']):
        f -= on * .20 * line(d, .0018)
if 'wearing' in angle:
    near = np.clip(blur((part == FORM).astype(np.float32), 2) * 20, 0, 1)
    f *= 1 - .34 * near * shot.other / np.maximum(shot.cover, 1e-3)                 # the form is light gray
on = shot.item & ~shot.border
facing = blur(np.where(on, np.clip(-shot.normal[..., 1], 0, 1), 0), 1.5) / np.maximum(blur(on.astype(np.float32), 1.5), .05)
f *= 1 - .26 * np.clip(1 - facing, 0, 1) ** 1.6 * np.clip((.97 - shot.item_s) / .12, 0, 1)         # white cloth is as bright as the wall on its right side
shot.detail = f
shot.add_sheen()

# --- print coordinates
x0, y0, pw, ph = PRINT[name][view]
u, v = (x - x0) / pw, 1 - (y - y0) / ph
on = erode((part == (BACK if view == 'back' else FRONT)) & (shot.ink > .995), 2)
jump = np.max([np.maximum(np.abs(shift(u, *s) - u), np.abs(shift(v, *s) - v)) for s in ((0, 1), (1, 0), (0, -1), (-1, 0))], 0)
on &= jump < .05
print('area seen', round(float((on & (u > 0) & (u < 1) & (v > 0) & (v < 1)).sum()) / shot.size ** 2, 4))
shot.export(blanks, name, angle, view, u, v, on, (round(pw * 1000), round(ph * 1000)), smooth=12, straighten=.85, fabric='fleece', shade_quality=92)
