/** Key of an icon of an imported item. @param name such as `tall-mug.svg` */
export const iconKey = (name: string): string => `icons/${name}`;
