/** Image of the contact sheet; `file` is relative to the page. */
export interface SheetImage {
  readonly file: string;
  readonly title: string;
  readonly caption: string;
}

export const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.codePointAt(0)!};`);

/** Returns an HTML page that shows the image files in a grid. */
export const contactSheet = (images: readonly SheetImage[]): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Contact sheet</title>
<style>
  body { margin: 2rem; font: 15px/1.4 system-ui, sans-serif; color: #222; background: #fafaf8 }
  main { display: grid; gap: 1.5rem; grid-template-columns: repeat(auto-fill, minmax(260px, 1fr)) }
  figure { margin: 0 }
  img { width: 100%; height: auto; display: block; border-radius: 4px; background: #eee }
  figcaption { margin-top: .4rem } small { color: #666 }
</style>
<h1>Contact sheet</h1>
<p>${images.length} images</p>
<main>
${images
  .map(
    ({ file, title, caption }) =>
      `<figure><img src="${escaped(file)}" alt="${escaped(title)}" width="765" height="765" loading="lazy">` +
      `<figcaption>${escaped(title)}<br><small>${escaped(caption)}</small></figcaption></figure>`,
  )
  .join('\n')}
</main>
</html>
`;
