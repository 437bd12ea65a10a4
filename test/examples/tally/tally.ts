import { z } from 'zod';
import { defineResource, type Resource } from '../../../crds/resource.ts';
import { syncColumns, syncStatus } from '../../../crds/sets.ts';

const spec = z.object({
  phase: z.string().min(1).max(64).describe('The phase of the Cells that are counted.'),
});

const status = z.object({ ...syncStatus, cells: z.int().min(0).optional().describe('How many there are.') });

/** Counts the Cells of the cluster that are in a phase. */
export const tally = defineResource({
  kind: 'Tally',
  shortNames: ['oktally'],
  description: 'A Tally counts the Cells of the cluster that are in a phase.',
  scope: 'Cluster',
  watched: 'Optional',
  verbs: ['get'],
  isReported: true,
  workflow: { does: 'Sync', type: 'tally', idPrefix: 'tally' },
  spec,
  status,
  printerColumns: syncColumns({ name: 'Cells', type: 'integer', jsonPath: '.status.cells' }),
});

/** A Tally as the API server has it. */
export type Tally = Resource<z.output<typeof spec>, z.output<typeof status>>;
