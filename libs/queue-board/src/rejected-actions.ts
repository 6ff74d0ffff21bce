const retry = '.lucide-refresh-cw';
const promote = '.lucide-corner-up-left';
const remove = '.lucide-trash';
const pause = '.lucide-pause';
const resume = '.lucide-play';

const buttons = [
  // Only failed jobs have Retry, only delayed jobs Promote
  `[class^='jobActions-']:not(:has(${retry}, ${promote}))`,
  `[class^='jobActions-'] > li:not(:has(${retry}, ${promote}, ${remove}))`,
  `[class^='queueActions-']:not(:has(${retry})) > li:has(${remove})`,
  // Menu of a queue, and menu of all queues
  `[class^='content-'] > [role='menuitem']:not(:has(${retry}, ${resume}))`,
  `[class^='dropdown-'] > [role='menuitem']:has(${pause}, ${resume})`,
];

/**
 * Style sheet that hides the buttons of changes that `allowedChanges` rejects: Bull Board has no
 * setting for single actions. Buttons are recognized by their icons, because their labels depend on
 * the language.
 */
export const rejectedActionsStyle = `${buttons.join(',')}{display:none}`;
