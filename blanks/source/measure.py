"""Measures finished layers (numpy and Pillow only).

    python3 measure.py <blanks folder> [<item>[/<angle>] ...]

Prints a line per angle. Lengths are pixels of an image of 765, except the outline.
bytes    all files of the angle
seen     share of the print area that is visible and takes ink
folds    cells of the grid with ink that mirror the print
round    largest distance of a printed circle (0.8 of the shorter side) from a circle in perspective
straight largest distance of printed lines, a tenth of the area apart, from straight lines
outline  distance of the item's outline from its mean over 12 pixels, in pixels of 1530: 95 % are below
wall     shade in the corners: 191
clipped  share of the item that white cloth would show without detail: shade above 204
"""
import json, os, sys
import numpy as np
from PIL import Image

SIDE = 765


def blur(a, sigma):
    r = int(3 * sigma + .5)
    k = np.exp(-np.arange(-r, r + 1) ** 2 / (2 * sigma * sigma))
    k /= k.sum()
    p = np.pad(a, r, 'edge')
    rows = sum(p[i:i + a.shape[0]] * w for i, w in enumerate(k))
    return sum(rows[:, i:i + a.shape[1]] * w for i, w in enumerate(k))


def between(a, x, y):
    """Bilinear samples of a plane at pixel-index coordinates."""
    x, y = np.clip(x, 0, a.shape[1] - 1.001), np.clip(y, 0, a.shape[0] - 1.001)
    i, j = x.astype(int), y.astype(int)
    fx, fy = x - i, y - j
    if a.ndim == 3:
        fx, fy = fx[:, None], fy[:, None]
    return (a[j, i] * (1 - fx) + a[j, i + 1] * fx) * (1 - fy) + (a[j + 1, i] * (1 - fx) + a[j + 1, i + 1] * fx) * fy


class Print:
    """Where points of the print area are in the image."""

    def __init__(self, layer, grid):
        g = layer['uv']
        self.grid, self.scale = grid, g['step'] * SIDE / layer['width']
        self.origin = np.array([g['x0'], g['y0']]) * SIDE / layer['width']
        rows, cols = np.mgrid[0:grid.shape[0] - 1:.25, 0:grid.shape[1] - 1:.25]
        self.at = np.stack([cols.ravel(), rows.ravel()], 1)
        self.values = between(grid, *self.at.T)
        known = np.isfinite(self.values).all(1)
        self.at, self.values = self.at[known], self.values[known]

    def locate(self, points):
        """Returns the image positions of points (u, v); NaN where the image does not show them."""
        found = np.full((len(points), 2), np.nan)
        for n, p in enumerate(points):
            k = np.argmin(((self.values - p) ** 2).sum(1))
            q = self.at[k].copy()
            for _ in range(4):
                value, right, below = (between(self.grid, np.array([q[0] + dx]), np.array([q[1] + dy]))[0] for dx, dy in ((0, 0), (.1, 0), (0, .1)))
                slope = np.stack([(right - value) / .1, (below - value) / .1], 1)
                if not np.isfinite(slope).all() or abs(np.linalg.det(slope)) < 1e-9:
                    break
                q = q + np.clip(np.linalg.solve(slope, p - value), -1, 1)
            miss = between(self.grid, q[:1], q[1:])[0] - p
            if np.isfinite(miss).all() and np.abs(miss).max() < .003:
                found[n] = self.origin + q * self.scale
        return found


def perspective_error(flat, seen):
    """Largest distance of points from their positions under the best perspective view of a plane."""
    ok = np.isfinite(seen).all(1)
    if ok.sum() < 12:
        return np.nan
    flat, seen = flat[ok], seen[ok]
    zero, one = np.zeros(len(flat)), np.ones(len(flat))
    x, y = flat.T
    X, Y = ((seen - SIDE / 2) / SIDE).T
    a = np.vstack([np.stack([x, y, one, zero, zero, zero, -X * x, -X * y, -X], 1), np.stack([zero, zero, zero, x, y, one, -Y * x, -Y * y, -Y], 1)])
    h = np.linalg.svd(a)[2][-1].reshape(3, 3)
    p = np.stack([x, y, one], 1) @ h.T
    return np.linalg.norm(p[:, :2] / p[:, 2:] - np.stack([X, Y], 1), axis=1).max() * SIDE


def line_error(seen):
    """Largest distance of points from their best straight line."""
    seen = seen[np.isfinite(seen).all(1)]
    if len(seen) < 5:
        return np.nan
    d = seen - seen.mean(0)
    return np.abs(d @ np.linalg.svd(d)[2][1]).max()


def outline_error(mask):
    size = 1530 / len(mask)
    smooth = blur(mask, 4 / size)
    gy, gx = np.gradient(smooth)
    steep = np.hypot(gx, gy)
    errors = []
    for a, step in ((mask, (0, 1)), (mask.T, (1, 0))):
        j, i = np.where((a[:, :-1] < .5) != (a[:, 1:] < .5))
        t = (.5 - a[j, i]) / (a[j, i + 1] - a[j, i])
        x, y = (i + t, j) if step == (0, 1) else (j, i + t)
        errors.append(np.abs(between(smooth, x, y) - .5) / np.maximum(between(steep, x, y), .02))
    return np.percentile(np.concatenate(errors), 95) * size


def measure(folder):
    layer = json.load(open(f'{folder}/layer.json'))
    g = layer['uv']
    nodes = np.fromfile(f'{folder}/uv.bin', '<i2').reshape(g['rows'], g['cols'], 2).astype(float)
    grid = np.where(nodes[..., :1] == g['outside'], np.nan, nodes / g['scale'])
    ink = 'ink.png' if os.path.exists(f'{folder}/ink.png') else 'mask.png'
    shade, mask, ink = (np.asarray(Image.open(f'{folder}/{n}').convert('L')).astype(float) for n in ('shade.webp', 'mask.png', ink))
    right, below = grid[:-1, 1:] - grid[:-1, :-1], grid[1:, :-1] - grid[:-1, :-1]
    inside = ((grid[:-1, :-1] >= 0) & (grid[:-1, :-1] <= 1)).all(2)
    mirrored = np.argwhere(inside & (right[..., 0] * below[..., 1] - right[..., 1] * below[..., 0] < 0))
    corners = (mirrored[:, ::-1] * g['step'] + (g['x0'], g['y0'])).astype(int)
    folds = sum(bool(ink[y:y + int(g['step']) + 1, x:x + int(g['step']) + 1].any()) for x, y in corners)
    area = layer['printArea']
    radius = .4 * min(area['width'], area['height'])
    turn = np.linspace(0, 2 * np.pi, 120, endpoint=False)
    circle = np.stack([.5 + radius / area['width'] * np.cos(turn), .5 + radius / area['height'] * np.sin(turn)], 1)
    view = Print(layer, grid)
    along = np.linspace(.02, .98, 40)
    lines = [view.locate(np.stack(p, 1)) for k in np.linspace(.1, .9, 9) for p in ((np.full(40, k), along), (along, np.full(40, k)))]
    everywhere = np.concatenate(lines)
    at = (everywhere - .5) * len(mask) / SIDE
    seen = np.isfinite(at).all(1)
    inked = between(ink, *np.nan_to_num(at).T) > 128
    tones = [int(shade[y, x]) for y in (8, -9) for x in (8, -9)]
    return {'bytes': sum(os.path.getsize(f'{folder}/{n}') for n in os.listdir(folder)), 'seen': f'{(seen & inked).mean():.0%}', 'folds': folds,
            'round': f'{perspective_error(circle, view.locate(circle)):.1f}', 'straight': f'{np.nanmax([line_error(s) for s in lines]):.1f}',
            'outline': f'{outline_error(mask / 255):.2f}', 'wall': '/'.join(map(str, sorted(set(tones)))), 'clipped': f'{(shade[mask > 250] > 204).mean():.1%}'}


root, *wanted = sys.argv[1:]
for item in sorted(os.listdir(f'{root}/items')):
    layers = f'{root}/items/{item}/layers'
    for angle in sorted(os.listdir(layers)) if os.path.isdir(layers) else []:
        if os.path.exists(f'{layers}/{angle}/uv.bin') and (not wanted or item in wanted or f'{item}/{angle}' in wanted):
            print(f'{item}/{angle}'.ljust(30), '  '.join(f'{k} {v}' for k, v in measure(f'{layers}/{angle}').items()), flush=True)
