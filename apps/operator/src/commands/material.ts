import { command, type Commands } from '../command-line/command.js';
import { id } from '../command-line/flags.js';

const flags = { id, reason: { help: 'reason, stored with the material', value: 'S', required: true } } as const;

export const material: Commands = {
  violate: command({
    summary: 'Hides a material that violates the rules, and its products, from all but the owner.',
    flags,
    run: (clients, { id: materialId, reason }) =>
      clients.of('catalog').call('materials.violate', { materialId, reason }),
  }),
  clear: command({
    summary: 'Shows a hidden material and its products again.',
    flags,
    run: (clients, { id: materialId, reason }) => clients.of('catalog').call('materials.clear', { materialId, reason }),
  }),
};
