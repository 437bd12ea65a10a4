import { describe, expect, it } from 'vitest';
import { arnOf } from '../../testing/builders.ts';
import { Simulation } from '../../testing/simulation.ts';

/** A Cell that serves, in a namespace with thousands of target groups without a version that it selects as well. */
function amongThousands(): Simulation {
  const web = new Simulation();
  web.provision('1.0.0', 'a');
  const others = Array.from({ length: 3_000 }, (_, index) => `other-${index}`);
  web.groups = [...web.groups, ...others.map((name) => ({ name, arn: arnOf(name) }))];
  web.run();
  return web;
}

describe('a Cell that selects thousands of AWSTargetGroups that it cannot use', () => {
  it('serves, and has a status that fits in a payload of Temporal and in an object of Kubernetes', () => {
    const { settled, status } = amongThousands();
    expect(settled?.reason).toBe('Serving');
    expect(JSON.stringify(status).length).toBeLessThan(100_000);
    expect(status.rejectedTargetGroups).toHaveLength(100);
    const accepted = status.conditions?.find(({ type }) => type === 'TargetGroupsAccepted');
    expect(accepted).toMatchObject({ status: 'False', reason: 'MissingVersion' });
    expect(accepted?.message).toMatch(/^3000 AWSTargetGroups cannot be used\. AWSTargetGroup other-0 /);
  });

  it('names those first that an AccessPolicy does not allow', () => {
    const web = amongThousands();
    web.groups = web.groups.map((group) =>
      group.name === 'other-2999' ? { ...group, refusal: 'It is not allowed.' } : group,
    );
    web.wake();
    web.run();
    expect(web.status.rejectedTargetGroups?.[0]).toMatchObject({ name: 'other-2999', reason: 'NotAllowed' });
  });
});
