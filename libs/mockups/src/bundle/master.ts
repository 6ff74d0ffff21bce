// Constants of blanks/FORMAT.md. No imports, because the child that reads PSDs loads them

/** Edge of the square master images of a layer, in pixels. */
export const masterSide = 1_200;

/** Distance of the nodes of a grid of print coordinates, in pixels of the master. */
export const gridStep = 6.25;
