import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { evaluate } from '@marcbachmann/cel-js';
import { expect, it } from 'vitest';
import type { CellStatus } from '../../crds/cell.ts';
import { rollingOut } from '../../domain/testing/rolling-out.ts';

/** The part of fengari, which brings no types, that runs a script: Lua's own C API. */
interface Fengari {
  readonly lauxlib: {
    readonly luaL_newstate: () => object;
    readonly luaL_dostring: (state: object, script: Uint8Array) => boolean;
  };
  readonly lualib: { readonly luaL_openlibs: (state: object) => void };
  readonly lua: { readonly lua_tostring: (state: object, index: number) => Uint8Array };
  readonly to_luastring: (text: string) => Uint8Array;
  readonly to_jsstring: (text: Uint8Array) => string;
}
const fengari = createRequire(import.meta.url)('fengari') as Fengari;

const page = readFileSync(join(import.meta.dirname, '../../docs/gitops.md'), 'utf8');
const script = /health\.lua: \|\n((?: {8}.*\n)+)/.exec(page)?.[1] ?? '';

/** A value as Lua writes it. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `{${value.map(literal).join(',')}}`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).filter(([, one]) => one !== undefined);
  return `{${fields.map(([key, one]) => `[${JSON.stringify(key)}]=${literal(one)}`).join(',')}}`;
}

/** What Argo CD shows of an object: it runs the script with the object in `obj`. */
function healthOf(object: object): string {
  const { lauxlib, lua, lualib, to_jsstring: textIn, to_luastring: luaText } = fengari;
  const state = lauxlib.luaL_newstate();
  lualib.luaL_openlibs(state);
  const program = `obj = ${literal(object)}\nlocal health = (function()\n${script}\nend)()\nreturn health.status`;
  const isBroken = lauxlib.luaL_dostring(state, luaText(program));
  const text = textIn(lua.lua_tostring(state, -1));
  if (isBroken) throw new Error(text);
  return text;
}

const expressions = Object.fromEntries(
  [...page.matchAll(/^ {6}(failed|current): (.*)$/gm)].map(([, name = '', text = '']) => [name, text]),
);
const holds = (name: string, status: CellStatus): unknown =>
  evaluate(expressions[name] ?? '', { status: JSON.parse(JSON.stringify(status)) as object });

it('Argo CD and Flux show a rollout as docs/gitops.md says', () => {
  const web = rollingOut({
    settle: '0s',
    updateStrategy: { type: 'Canary', canary: { steps: [{ setWeight: 20 }, { pause: {} }] } },
  });
  const shown = (): readonly unknown[] => {
    const object = { metadata: { generation: web.generation }, status: web.status };
    return [web.status.phase, healthOf(object), holds('current', web.status), holds('failed', web.status)];
  };
  expect(shown()).toEqual(['Completed', 'Healthy', true, false]);
  web.run();
  expect(shown()).toEqual(['Paused', 'Suspended', false, false]);
  web.ask('abort');
  web.run();
  expect(shown()).toEqual(['Reverted', 'Degraded', false, true]);
  web.edit((spec) => spec);
  expect(shown()[1]).toBe('Progressing');
});

it.each([
  ['one that Okra has not seen', { metadata: { generation: 1 } }, 'Progressing'],
  ['one without conditions', { metadata: { generation: 1 }, status: {} }, 'Healthy'],
])('Argo CD shows %s', (_, object, want) => expect(healthOf(object)).toBe(want));
