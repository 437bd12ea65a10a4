import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { untilGivenUp, withTimeLimit } from '../concurrency.ts';
import { definitions, type LabelsOf, type MetricDefinition, type NameOf } from './definitions.ts';

/** One value of a state. */
export type Sample = {
  [Name in NameOf<'gauge'>]: {
    readonly name: Name;
    readonly labels: LabelsOf<Name>;
    readonly value: number;
  };
}[NameOf<'gauge'>];

/** Reads states, when someone scrapes. */
export type ReadStates = () => readonly Sample[] | Promise<readonly Sample[]>;

/** What a process tells of itself in numbers. Nothing in here throws or waits for anybody: rollouts continue without. */
export interface Metrics {
  readonly count: <Name extends NameOf<'counter'>>(name: Name, labels: LabelsOf<Name>, by?: number) => void;
  readonly observe: <Name extends NameOf<'histogram'>>(
    name: Name,
    labels: LabelsOf<Name>,
    seconds: number,
  ) => void;
  /** Has states read at each scrape, until what it answers with is called. */
  readonly states: (what: string, read: ReadStates) => () => void;
  readonly scrape: () => Promise<string>;
  readonly contentType: string;
}

/** So long a scrape waits for states; Prometheus gives up after 10 s by default. */
const STATES_MILLISECONDS = 3_000;

/** Begins with nothing counted; `ofProcess` adds what Node.js says of the process. */
export function createMetrics({ waitMilliseconds = STATES_MILLISECONDS, ofProcess = false } = {}): Metrics {
  const registry = new Registry();
  const { counters, histograms, gauges } = made(registry);
  if (ofProcess) collectDefaultMetrics({ register: registry });
  const readers = new Map<symbol, { readonly what: string; readonly read: ReadStates }>();

  const count: Metrics['count'] = (name, labels, by = 1) =>
    quietly(() => counters.get(name)?.inc({ ...labels }, by));

  async function samplesOf(what: string, read: ReadStates): Promise<readonly Sample[]> {
    try {
      return await withTimeLimit({ milliseconds: waitMilliseconds }, (signal) =>
        untilGivenUp(Promise.resolve(read()), signal),
      );
    } catch {
      count('okra_metrics_failures_total', { state: what });
      return [];
    }
  }

  async function text(): Promise<string> {
    const all = await Promise.all([...readers.values()].map(({ what, read }) => samplesOf(what, read)));
    for (const gauge of gauges.values()) gauge.reset();
    for (const { name, labels, value } of all.flat())
      quietly(() => gauges.get(name)?.set({ ...labels }, value));
    return await registry.metrics();
  }

  // Two who scrape at the same time must not have each other's gauges half set.
  let last: Promise<string> = Promise.resolve('');
  return {
    count,
    observe: (name, labels, seconds) => quietly(() => histograms.get(name)?.observe({ ...labels }, seconds)),
    states: (what, read) => {
      const key = Symbol(what);
      readers.set(key, { what, read });
      return () => void readers.delete(key);
    },
    scrape: () => (last = last.then(text, text)),
    contentType: registry.contentType,
  };
}

/** Metrics that nobody scrapes. */
export const noMetrics: Pick<Metrics, 'count' | 'observe' | 'states'> = {
  count: () => undefined,
  observe: () => undefined,
  states: () => () => undefined,
};

function made(registry: Registry) {
  const counters = new Map<string, Counter>();
  const histograms = new Map<string, Histogram>();
  const gauges = new Map<string, Gauge>();
  const all: readonly [string, MetricDefinition][] = Object.entries(definitions);
  for (const [name, { type, help, labels, buckets = [] }] of all) {
    const common = { name, help, labelNames: [...labels], registers: [registry] };
    if (type === 'counter') counters.set(name, new Counter(common));
    else if (type === 'gauge') gauges.set(name, new Gauge(common));
    else histograms.set(name, new Histogram({ ...common, buckets: [...buckets] }));
  }
  return { counters, histograms, gauges };
}

function quietly(run: () => void): void {
  try {
    run();
  } catch {
    // A label that prom-client refuses, or a value that is no number.
  }
}
