import { readFileSync } from 'node:fs';
import { type AxeResults } from 'axe-core';
import { type Page } from 'playwright-core';
import { projectPath } from '#config';

const axe = readFileSync(projectPath('node_modules/axe-core/axe.min.js'), 'utf8');

/**
 * Returns violations of WCAG 2.2 AA and axe's best practices.
 *
 * @param run options of axe
 */
export async function violations(page: Page, run = `rules: { 'target-size': { enabled: true } }`): Promise<string[]> {
  await page.evaluate(axe);
  // Without passed checks, which are too many to transfer
  const found = await page.evaluate<AxeResults['violations']>(
    `axe.run({ resultTypes: ['violations'], ${run} }).then((it) => it.violations)`,
  );
  return found.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 300)}`));
}

/** Returns links to missing elements of the page, as from a summary of errors to its fields. */
export const brokenLinks = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('a[href^="#"]')].map((it) => it.getAttribute('href'))
      .filter((href) => !document.getElementById(decodeURIComponent(href.slice(1))))`,
  );

/** Returns ids that several elements of the page have, of which links reach the first only. */
export const repeatedIds = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('[id]')].map((it) => it.id).filter((id, at, all) => all.indexOf(id) !== at)`,
  );
