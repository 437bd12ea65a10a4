import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readImports, writeRoomTable } from './rooms.ts';

const imports = readImports();

/** What no file of a room imports, nor one of a room below it. */
const above: Readonly<Record<string, readonly string[]>> = {
  crds: ['domain', 'workflows', 'activities', 'clients', 'watchers', 'cli', 'config', 'local', 'worker.ts'],
  domain: ['workflows', 'activities', 'clients', 'watchers', 'cli', 'config', 'local', 'worker.ts'],
  workflows: ['clients', 'watchers', 'cli', 'config', 'local', 'worker.ts'],
  config: ['workflows', 'activities', 'clients', 'watchers', 'cli', 'local', 'worker.ts'],
  clients: ['activities', 'watchers', 'cli', 'local', 'worker.ts'],
  activities: ['watchers', 'cli', 'config', 'local', 'worker.ts'],
  watchers: ['activities', 'cli', 'local', 'worker.ts'],
};

/** The pairs of rooms that still import each other. Take out what does not any more; nothing comes in. */
const entangled: readonly string[] = [
  'activities/discovery ⇄ activities/kubernetes',
  'activities/load-balancers ⇄ activities/rollout',
  'clients/aws ⇄ clients/kubernetes',
  'domain/gates ⇄ domain/load-balancers',
  'domain/gates ⇄ domain/model',
  'domain/load-balancers ⇄ domain/model',
  'domain/load-balancers ⇄ domain/versions',
  'domain/model ⇄ domain/rollout/measure',
  'domain/model ⇄ domain/rollout/report',
  'domain/model ⇄ domain/steps',
  'domain/model ⇄ domain/versions',
  'domain/rollout/decide ⇄ domain/rollout/record',
  'domain/rollout/measure ⇄ domain/steps',
  'domain/rollout/record ⇄ domain/rollout/report',
  'watchers/informer ⇄ watchers/routes',
];

describe('the rooms', () => {
  it('import what the table in docs/design.md says (npm run generate)', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/design.md'), 'utf8');
    expect(page).toContain(writeRoomTable(imports));
  });

  it('import none that is above them', () => {
    const wrong = [...imports].flatMap(([room, { rooms }]) =>
      rooms
        .filter((to) => above[room.split('/')[0] ?? '']?.includes(to.split('/')[0] ?? ''))
        .map((to) => `${room} imports ${to}`),
    );
    expect(wrong).toEqual([]);
  });

  it('leave the ELBv2 proxy a program of its own', () =>
    expect(imports.get('local/elbv2-proxy')?.rooms).toEqual([]));

  it('do not import each other, except what lies directly in the folder above them', () => {
    const pairs = [...imports].flatMap(([room, { rooms }]) =>
      rooms
        .filter((to) => room < to && !to.startsWith(`${room}/`) && imports.get(to)?.rooms.includes(room))
        .map((to) => `${room} ⇄ ${to}`),
    );
    expect(pairs.filter((pair) => !entangled.includes(pair))).toEqual([]);
  });
});
