import { readFileSync } from 'node:fs';
import { type AxeResults } from 'axe-core';
import { type Page } from 'playwright-core';
import { projectPath } from '#config';

const axeScript = readFileSync(projectPath('node_modules/axe-core/axe.min.js'), 'utf8');

/**
 * Returns violations of WCAG 2.2 AA and of axe's best practices on a page.
 *
 * @param run options of axe
 */
export async function violations(page: Page, run = `rules: { 'target-size': { enabled: true } }`): Promise<string[]> {
  await page.evaluate(axeScript);
  // Only violations: the passed checks would be too much data
  const found = await page.evaluate<AxeResults['violations']>(
    `axe.run({ resultTypes: ['violations'], ${run} }).then((it) => it.violations)`,
  );
  return found.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 300)}`));
}

/** Returns the hrefs of links to an id (`#name`) that no element of the page has. */
export const brokenLinks = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('a[href^="#"]')].map((it) => it.getAttribute('href'))
      .filter((href) => !document.getElementById(decodeURIComponent(href.slice(1))))`,
  );

/** Returns ids that more than one element of the page has: links reach only the first one. */
export const repeatedIds = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('[id]')].map((it) => it.id).filter((id, at, all) => all.indexOf(id) !== at)`,
  );
