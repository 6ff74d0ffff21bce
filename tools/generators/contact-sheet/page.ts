import { escaped } from '../../../apps/demo/src/contact-sheet.view.js';
import { artworks, type Scene, type Shot } from './shots.js';

/** Edges in pixels of images on the page and after a click. */
export const small = 323;
export const large = 765;

const style = `
  :root { color-scheme: light; --ink: #24262a; --quiet: #7a7c80; --line: #e3e3df }
  body { margin: 0 auto; max-width: 1880px; padding: 2.5rem 2rem 6rem; font: 15px/1.5 system-ui, sans-serif;
    color: var(--ink); background: #fbfbf9 }
  h1 { font-size: 2rem; margin: 0 } h2 { font-size: 1.4rem; margin: 3.5rem 0 0; padding-top: 1rem;
    border-top: 1px solid var(--line) } h3 { font-size: 1rem; margin: 1.5rem 0 .6rem }
  small { color: var(--quiet); font-weight: 400 } header p { color: var(--quiet); margin: .3rem 0 1rem }
  nav { display: flex; flex-wrap: wrap; gap: .4rem } nav a { padding: .15rem .7rem; border: 1px solid var(--line);
    border-radius: 99px; color: inherit; text-decoration: none; background: #fff } nav a:hover { border-color: var(--ink) }
  .colors { display: grid; gap: 1.2rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 420px), 1fr)) }
  figure { margin: 0; background: #fff; border: 1px solid var(--line); border-radius: 8px; overflow: hidden }
  .prints { display: grid; grid-template-columns: repeat(${artworks.length}, 1fr); gap: 1px }
  .prints img { display: block; width: 100%; height: auto; background: #ebebe9 } .prints a:hover img { opacity: .85 }
  figcaption { display: flex; align-items: center; gap: .5rem; padding: .35rem .7rem; font-size: .85rem }
  figcaption i { width: .9rem; height: .9rem; border-radius: 50%; box-shadow: inset 0 0 0 1px #0003 }
  dialog { padding: 0; border: 0; border-radius: 8px; overflow: hidden; max-height: 96vh } dialog::backdrop { background: #000a }
  dialog img { display: block; width: min(${large}px, 92vw, 92vh); aspect-ratio: 1 }`;

/**
 * A click opens the large image in a dialog with arrow-key navigation; without scripts the link
 * opens it.
 */
const script = `
  const links = [...document.querySelectorAll('.prints a')], dialog = document.querySelector('dialog');
  let at = 0;
  const show = (index) => {
    at = (index + links.length) % links.length;
    const image = dialog.firstElementChild;
    image.src = links[at].href; image.alt = links[at].title;
    if (!dialog.open) dialog.showModal();
  };
  links.forEach((link, index) => link.addEventListener('click', (event) => { event.preventDefault(); show(index); }));
  dialog.addEventListener('click', () => dialog.close());
  dialog.addEventListener('keydown', ({ key }) => {
    if (key === 'ArrowRight') show(at + 1);
    if (key === 'ArrowLeft') show(at - 1);
  });`;

/** Returns an HTML page that shows all images. Style and script are inline. */
export function page(scenes: readonly Scene[]): string {
  const items = [...new Set(scenes.map(({ item }) => item))];
  const count = scenes.reduce((sum, { shots }) => sum + shots.length, 0);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Contact sheet</title>
<style>${style}
</style>
<header>
<h1>Contact sheet</h1>
<p>${count} images of ${items.length} items: every angle, every color, with ${artworks.map(escaped).join(', ')},
with the default resize mode of each item</p>
<nav>${items.map(({ name, displayName }) => `<a href="#${name}">${escaped(displayName.en)}</a>`).join('\n')}</nav>
</header>
${items.map((item) => section(scenes.filter((scene) => scene.item === item))).join('\n')}
<dialog><img alt=""></dialog>
<script>${script}
</script>
</html>
`;
}

function section(scenes: readonly Scene[]): string {
  const { name, displayName } = scenes[0]!.item;
  return `<section id="${name}">
<h2>${escaped(displayName.en)} <small lang="ja">${escaped(displayName.ja)}</small> <small>${name}</small></h2>
${scenes.map(sceneOf).join('\n')}
</section>`;
}

function sceneOf({ angle, resizeMode, shots }: Scene): string {
  const colors = [...new Set(shots.map(({ color }) => color))];
  const figures = colors.map((color) => figure(shots.filter((shot) => shot.color === color)));
  return `<h3>${angle.name} <small>${resizeMode}${angle.essential ? '' : ', extra angle'}</small></h3>
<div class="colors">
${figures.join('\n')}
</div>`;
}

function figure(shots: readonly Shot[]): string {
  const { displayName, rgb } = shots[0]!.color;
  const caption = `${escaped(displayName.en)} <small lang="ja">${escaped(displayName.ja)}</small> <small>${rgb}</small>`;
  return `<figure><div class="prints">${shots.map(link).join('')}</div>
<figcaption><i style="background:${rgb}"></i> ${caption}</figcaption></figure>`;
}

function link({ item, angle, color, artwork, file }: Shot): string {
  const title = escaped(`${item}, ${angle}, ${color.name}, ${artwork}`);
  const image = `<img src="${small}/${file}" width="${small}" height="${small}" loading="lazy" alt="${title}">`;
  return `<a href="${large}/${file}" title="${title}">${image}</a>`;
}
