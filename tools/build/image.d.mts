/** Every program of the image: the compiled file that begins it, by where it is below `dist`. */
export const imagePrograms: Readonly<Record<string, string>>;
/** What the programs read beside them: files and folders, by their path in the project. */
export const imageFiles: readonly string[];
