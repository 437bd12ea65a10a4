// Writes the bundled workflows to standard output.
import { bundleWorkflows } from '../clients/temporal/workflow-bundle.ts';

process.stdout.write(await bundleWorkflows());
