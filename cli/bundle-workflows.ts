// Writes the bundled workflows to standard output.
import { bundleWorkflows } from '../workflow-bundle.ts';

process.stdout.write(await bundleWorkflows());
