import { beforeEach, describe, expect, it } from 'vitest';
import type { ELBv2 } from '../clients/aws/elbv2.ts';
import { gateActivities, type GateDependencies } from './gate.ts';
import { translated } from './failure.ts';

const asked: string[] = [];
const answering = (over: Partial<GateDependencies> = {}, name: 'reachKubernetes' | 'reachELBv2') =>
  translated(
    gateActivities({
      kubernetes: { isReady: () => Promise.resolve(true), serves: () => Promise.resolve(true) },
      elbv2: elbv2(() => Promise.resolve(undefined)),
      region: 'eu-west-1',
      ...over,
    }),
  )[name]();
const elbv2 = (targetGroupNamed: ELBv2['targetGroupNamed']) => ({
  inRegion: (region: string) => {
    asked.push(region);
    return { targetGroupNamed } as ELBv2;
  },
});
const denied = Object.assign(new Error('User is not authorized'), { name: 'AccessDenied' });

describe('the gate of a version', () => {
  beforeEach(() => void asked.splice(0));

  it('reaches the API server, and ELBv2 in the region of the worker', async () => {
    expect(await answering({}, 'reachKubernetes')).toBe('The API server answers.');
    expect(await answering({}, 'reachELBv2')).toBe('ELBv2 answers in eu-west-1.');
    expect(asked).toEqual(['eu-west-1']);
  });

  it('asks no ELBv2 without a region', async () => {
    const { region: _none, ...others } = { region: '', elbv2: elbv2(() => Promise.reject(denied)) };
    expect(await answering({ ...others, region: undefined }, 'reachELBv2')).toContain('No region is set');
  });

  it.each<[string, Partial<GateDependencies>, 'reachKubernetes' | 'reachELBv2', object]>([
    [
      'an API server that is not ready',
      { kubernetes: { isReady: () => Promise.resolve(false), serves: () => Promise.resolve(true) } },
      'reachKubernetes',
      { type: 'Unavailable', message: 'The API server is not ready.' },
    ],
    [
      'an API server without the kinds',
      { kubernetes: { isReady: () => Promise.resolve(true), serves: () => Promise.resolve(false) } },
      'reachKubernetes',
      { message: 'The CRD Cell is missing. Install the CRDs of this release.' },
    ],
    [
      'AWS that refuses',
      { elbv2: elbv2(() => Promise.reject(denied)) },
      'reachELBv2',
      { type: 'AccessDenied', nonRetryable: true },
    ],
  ])('fails by %s', async (_, over, name, failure) => {
    await expect(answering(over, name)).rejects.toMatchObject(failure);
  });
});
