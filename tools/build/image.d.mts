/** Programs of the image: compiled entry file by path below `dist`. */
export const imagePrograms: Readonly<Record<string, string>>;
/** Files and folders that the programs read, by path in the project. */
export const imageFiles: readonly string[];
