"""Updates the sheen of finished layers from their shade, when `Shot.sheen` has changed and the
passes are not available.

    python3 resheen.py <layers folder> <item/angle> ...
"""
import os, sys
sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')]
from layers import *

OLD = .024, 6                                                       # amount and power of the sheen that is removed


def planes(folder, *names):
    return [np.pad(np.asarray(Image.open(os.path.join(folder, n)).convert('L')).astype(np.float32), PAD, 'reflect') for n in names]


for name in sys.argv[2:]:
    folder = os.path.join(sys.argv[1], name)
    shade, mask, gloss = planes(folder, 'shade.webp', 'mask.png', 'gloss.webp')
    tint, light = mask / 255, (shade / 200) ** GAMMA
    solid = (mask > 250).astype(np.float32)
    item = np.where(solid > 0, light, 0)
    folds = np.where(solid > 0, blur(item, 4) / np.maximum(blur(solid, 4), 1e-3), light)      # light without seams, ribs and weave
    drawn = np.clip(np.where(solid > 0, light / np.maximum(folds, .05), 1), .35, 1.3)
    shine = np.clip(gloss / 1000 - tint * OLD[0] * np.clip(folds, 0, 1.1) ** OLD[1], 0, None) * occlusion(folds)
    renewed = shine + tint * sheen(folds, drawn)
    save_gloss(renewed[PAD:-PAD, PAD:-PAD], folder)
    print(name, os.path.getsize(os.path.join(folder, 'gloss.webp')), 'bytes')
