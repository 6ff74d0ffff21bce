import { runInNewContext } from 'node:vm';
import { renderingScript } from './assets.js';

/** Response to the script; `isRendering` is whether its page has the notice. */
interface Response {
  readonly redirected: boolean;
  readonly isRendering: boolean;
}

/** Runs the script until its first response. Returns the notice, and whether it requests again. */
async function runRendering({ redirected, isRendering }: Response): Promise<[string, boolean]> {
  const notice = { textContent: 'preparing', dataset: { rendered: 'ready' } };
  const timers: (() => Promise<void>)[] = [];
  runInNewContext(renderingScript.bytes.toString(), {
    document: { querySelector: () => notice, querySelectorAll: () => [] },
    location: { pathname: '/materials/7' },
    fetch: () => Promise.resolve({ ok: true, redirected, text: () => Promise.resolve('') }),
    DOMParser: class {
      parseFromString = () => ({ querySelector: () => (isRendering ? notice : null) });
    },
    setTimeout: (check: (left: number) => Promise<void>, _ms: number, left: number) => timers.push(() => check(left)),
  });
  await timers.pop()!();
  return [notice.textContent, timers.length > 0];
}

describe('the script of a material whose images are being rendered', () => {
  it.each<[string, Response, [string, boolean]]>([
    ['requests the page again while images are missing', { redirected: false, isRendering: true }, ['preparing', true]],
    ['reports that all images are ready', { redirected: false, isRendering: false }, ['ready', false]],
    ['stops at a redirect to the sign-in', { redirected: true, isRendering: false }, ['preparing', false]],
  ])('%s', async (_title, response, expected) => {
    expect(await runRendering(response)).toEqual(expected);
  });
});
