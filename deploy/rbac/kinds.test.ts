import { expect, it } from 'vitest';
import { documentedAccess, permissionsOf } from '../../test/operations/in-cluster/access.ts';
import { kindPermissions } from './kinds.ts';

it('the ClusterRole in the documentation allows of each kind what the table of kinds says, and no more', async () => {
  const documented = permissionsOf(await documentedAccess('okra'));
  const said = kindPermissions.flatMap(({ kind, subresource, verbs }) => {
    const [group] = kind.apiVersion.split('/');
    const resource = subresource === undefined ? kind.plural : `${kind.plural}/${subresource}`;
    return verbs.map((verb) => `${verb} ${group}/${resource}`);
  });
  expect([...documented].filter((one) => one.includes(' okra.mumo.co/')).toSorted()).toEqual(said.toSorted());
});
