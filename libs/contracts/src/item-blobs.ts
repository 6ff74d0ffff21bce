/** Key of an icon of an imported item. @param name its hash with `.svg` or `.png` */
export const iconKey = (name: string): string => `icons/${name}`;
