import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { expect, it } from 'vitest';
import {
  documentedAccess,
  permissionsOf,
  type AccessObject,
} from '../../test/operations/in-cluster/access.ts';
import { kindPermissions } from './kinds.ts';

const OWN = 'okra.mumo.co';
const COMMUNITY = 'community.kubestellar.io';

/** What the table of kinds says of those of a group. */
const saidOf = (wanted: string): readonly string[] =>
  kindPermissions.flatMap(({ kind, subresource, verbs }) => {
    const [group] = kind.apiVersion.split('/');
    const resource = subresource === undefined ? kind.plural : `${kind.plural}/${subresource}`;
    return group === wanted ? verbs.map((verb) => `${verb} ${group}/${resource}`) : [];
  });

const inGroup = (permissions: ReadonlySet<string>, group: string): readonly string[] =>
  [...permissions].filter((one) => one.includes(` ${group}/`)).toSorted();

it('the ClusterRole in the documentation allows of each kind what the table of kinds says, and no more', async () => {
  const documented = permissionsOf(await documentedAccess('okra'));
  expect(inGroup(documented, OWN)).toEqual(saidOf(OWN).toSorted());
});

it('the ClusterRole for StagedBindingPolicies does as well', async () => {
  const page = await readFile(join(import.meta.dirname, '../../docs/staged-binding-policy.md'), 'utf8');
  const block = [...page.matchAll(/```yaml\n([^`]*)```/g)].map(
    ([, yaml = '']) => parse(yaml) as AccessObject,
  );
  const role = block.filter(({ kind }) => kind === 'ClusterRole');
  expect(inGroup(permissionsOf(role), COMMUNITY)).toEqual(saidOf(COMMUNITY).toSorted());
});
