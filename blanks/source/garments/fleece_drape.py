"""Drapes a sweatshirt or the body of a hoodie: the arms of the rest shape are lowered with the mannequin in them, and the
cloth folds under gravity. Neck and ribs follow the pose exactly; the rest is simulated.

    blender -b -P fleece_drape.py -- <folder> [seed] [frames]      -> <folder>/fleece.npz
"""
import os, sys, time
sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')]
from common import *
from fleece import *
from mannequin import arm, loft

folder = arguments()[0]
seed, frames = (int(a) for a in (arguments()[1:] + ['3', '70'][len(arguments()) - 1:])[:2])
rng = np.random.RandomState(seed)
t0 = time.time()
scene = reset()
g = build()
p, number, sleeves = g['p'], g['number'], g['sleeves']
down = p.copy()
pinned = [number[:RIB + 1].ravel(), number[NECK]]
down[pinned[0], 2] += RISE
for m, side in enumerate((1, -1)):
    cuff = sleeves[m][SLEEVE - CUFF:].ravel()
    pinned.append(cuff)
    down[cuff] = pose(p[cuff] - np.array([side, 1, 1]) * axis(RAISED) * PUSH, side)
pinned = np.concatenate([*pinned, np.setdiff1d(np.arange(len(p)), g['faces'])])          # the last are not used
p[~np.isin(np.arange(len(p)), pinned)] += rng.normal(0, 4e-4, (len(p) - len(pinned), 3))
cloth = mesh('cloth', p, g['faces'])
cloth.shape_key_add(name='rest')
key = cloth.shape_key_add(name='down')
key.data.foreach_set('co', down.astype(np.float32).ravel())

# --- mannequin
v, f = loft([(z, a, b, cy) for z, a, b, cy in BODY])
lowered = [tuple(q) for q in v]
d = axis(RAISED)
for side in (1, -1):
    va, fa = arm(JOINT * [side, 1, 1], RAISED, ARM + .02, .060, .029)
    base = len(v)
    v = v + va
    lowered += [tuple(q) for q in pose(np.array(va), side)]
    f = f + [tuple(base + i for i in q) for q in fa]
body = mesh('body', v, f)
body.shape_key_add(name='up')
down_key = body.shape_key_add(name='down')
down_key.data.foreach_set('co', np.array(lowered, np.float32).ravel())
for k in (key, down_key):
    for frame, value in ((1, 0), (45, 1)):
        k.value = value
        k.keyframe_insert('value', frame=frame)
body.modifiers.new('collision', 'COLLISION')
body.collision.thickness_outer = .004
body.collision.cloth_friction = 8

# --- simulation
mod = cloth.modifiers.new('cloth', 'CLOTH')
s = mod.settings
s.quality = 5
s.mass = .15
s.air_damping = 1.0
s.tension_stiffness = s.compression_stiffness = 40
s.shear_stiffness = 12
s.bending_stiffness, s.bending_damping = 10, 2
cloth.vertex_groups.new(name='pin').add([int(i) for i in pinned], 1.0, 'REPLACE')
s.vertex_group_mass = 'pin'
mod.collision_settings.distance_min = .003
mod.collision_settings.collision_quality = 2
mod.collision_settings.use_self_collision = False
mod.point_cache.frame_end = scene.frame_end = frames
os.makedirs(folder, exist_ok=True)
for frame in range(1, frames + 1):
    scene.frame_set(frame)
    if frame % 10 == 0:
        e = cloth.evaluated_get(bpy.context.evaluated_depsgraph_get())
        c = np.empty(len(p) * 3, np.float32)
        e.data.vertices.foreach_get('co', c)
        moved = c.reshape(-1, 3)
        print(frame, round(time.time() - t0), 's; box', moved.min(0).round(3), moved.max(0).round(3), flush=True)
        np.savez(os.path.join(folder, 'fleece.npz'), co=moved, share=SHARE)
