import type { Command } from 'commander';
import { repeated } from './manifests.ts';
import type { Globals } from './shell.ts';

/** What says how an AnalysisRun is made. */
export interface AnalysisOptions extends Globals {
  readonly templateName?: readonly string[];
  readonly clusterTemplateName?: readonly string[];
  readonly args?: readonly string[];
  readonly argsFromSecrets?: readonly string[];
}

/** Adds the options that say how an AnalysisRun is made. */
export const withAnalysisOptions = (command: Command): Command =>
  command
    .option('--template-name <name>', 'an AnalysisTemplate in the namespace; may be repeated', repeated)
    .option('--cluster-template-name <name>', 'a ClusterAnalysisTemplate; may be repeated', repeated)
    .option('--args <name=value,…>', 'arguments for the templates; may be repeated', repeated)
    .option('--args-from-secrets <name=secret.key,…>', 'arguments from Secrets; may be repeated', repeated);
