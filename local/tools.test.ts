import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { goTools } from './go-tools.mjs';
import { componentSets, motoVersion, toolsFor, withNeeds } from './tools.mjs';

const file = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

describe('withNeeds', () => {
  it('adds what a component cannot do without, each once and first', () => {
    expect(withNeeds(['kwok', 'argo-rollouts'])).toEqual(['etcd', 'kube-apiserver', 'kwok', 'argo-rollouts']);
  });
  it('refuses a component that there is not', () => {
    expect(() => withNeeds(['docker'])).toThrow('Expected a component out of etcd');
  });
  it.each(Object.entries(componentSets))('finds the set %s complete', (_, set) => {
    expect(withNeeds(set).toSorted()).toEqual([...set].toSorted());
  });
});

describe('toolsFor', () => {
  it('provisions for the demo no more than the demo needs', () => {
    expect(toolsFor(componentSets.demo).toSorted()).toEqual(
      ['etcd', 'kube-apiserver', 'kubectl', 'moto', 'rollouts-controller', 'temporal'].toSorted(),
    );
  });
});

describe('the pins', () => {
  it.each(Object.entries(goTools))(
    'agree with the go.mod of %s',
    (_, { module, version, moduleVersion = version, package: command }) => {
      const text = file(`modules/${module}/go.mod`);
      expect(text).toMatch(new RegExp(` v${moduleVersion.replaceAll('.', '\\.')}( // indirect)?\n`));
      expect(text).toContain(command);
    },
  );
  it('agree with the requirements of moto', () => {
    expect(file('requirements.txt')).toContain(`moto[server]==${motoVersion} `);
  });
});
