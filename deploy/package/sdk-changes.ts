/** A change of a file of the Temporal SDK. */
export interface SdkChange {
  /** Its path in `node_modules`. */
  readonly file: string;
  /** Throws when the file is not as it is known. */
  readonly apply: (code: string) => string;
}

const replacing =
  (file: string, from: string, to: string): SdkChange['apply'] =>
  (code) => {
    const parts = code.split(from);
    if (parts.length === 2) return parts.join(to);
    throw new Error(
      `Expected ${file} to have ${from} once, got it ${parts.length - 1} times. Look at what the SDK does now, and correct deploy/package/sdk-changes.ts.`,
    );
  };

const change = (file: string, from: string, to: string): SdkChange => ({
  file,
  apply: replacing(file, from, to),
});

/** Where each promise of a workflow was made is kept for the tab Call Stack of the Web UI alone, and takes a tenth of okrad's processor time. */
export const withoutStacks = change(
  '@temporalio/worker/lib/workflow/vm-shared.js',
  'this.setPromiseHook();',
  '// Without it the query __stack_trace says that stack traces are not enabled.',
);

const REUSABLE_VM = '@temporalio/worker/lib/workflow/reusable-vm.js';

const inReusableVM: readonly SdkChange[] = [
  // The limit of the activation holds for what it calls.
  change(
    REUSABLE_VM,
    'callIntoVmScript.runInContext(context, {\n                        timeout: isolateExecutionTimeoutMs,',
    'callIntoVmScript.runInContext(context, {\n                        timeout: timeLimit.run === undefined ? isolateExecutionTimeoutMs : undefined,',
  ),
  change(
    REUSABLE_VM,
    'new ReusableVMWorkflow(options.info.runId, context, activator, workflowModule);',
    'Object.assign(new ReusableVMWorkflow(options.info.runId, context, activator, workflowModule), { timeLimitMs: isolateExecutionTimeoutMs });',
  ),
  change(
    REUSABLE_VM,
    'class ReusableVMWorkflow extends vm_shared_1.BaseVMWorkflow {',
    `const timeLimit = node_vm_1.default.createContext({ run: undefined });
const runWithinTimeLimit = new node_vm_1.default.Script('run()');
function withinTimeLimit(ms, run) {
    timeLimit.run = run;
    try {
        return runWithinTimeLimit.runInContext(timeLimit, { timeout: ms, displayErrors: true });
    } finally {
        timeLimit.run = undefined;
    }
}
class ReusableVMWorkflow extends vm_shared_1.BaseVMWorkflow {
    async activate(activation) {
        try {
            return await withinTimeLimit(this.timeLimitMs, () => super.activate(activation));
        } catch (err) {
            return { runId: this.activator.info.runId, failed: { failure: this.activator.errorToFailure(err) } };
        }
    }`,
  ),
];

/**
 * All that an activation of a workflow runs has one time limit. Each of its three to six calls would have one of its own, for which
 * Node.js starts a thread: 0.2 ms each. Code that does not end fails the workflow task as before.
 */
export const oneTimeLimit: SdkChange = {
  file: REUSABLE_VM,
  apply: (code) => inReusableVM.reduce((changed, { apply }) => apply(changed), code),
};

/** The SDK has a worker evaluate all code of the workflows once more, where none of them runs, so that debuggers find their breakpoints: a twentieth of a start of okrad. */
export const notForDebuggers = change(
  '@temporalio/worker/lib/worker.js',
  'let script = new vm.Script(code, { filename });\n    let context = vm.createContext({});',
  'return { code, sourceMap, filename };\n    let script, context;',
);

/** All that is changed of the Temporal SDK when it is bundled. */
export const sdkChanges: readonly SdkChange[] = [
  // The thread of the workflows is a program of its own in the package.
  change(
    '@temporalio/worker/lib/workflow/threaded-vm.js',
    `require.resolve('./workflow-worker-thread')`,
    `new URL('../workflow-thread.js', import.meta.url)`,
  ),
  // The native code stays in its package.
  change(
    '@temporalio/core-bridge/common.js',
    `path.resolve(__dirname, 'releases'`,
    `path.resolve(path.dirname(require('node:module').createRequire(import.meta.url).resolve('@temporalio/core-bridge/package.json')), 'releases'`,
  ),
  withoutStacks,
  oneTimeLimit,
  notForDebuggers,
  {
    // Workflows are bundled when the package is built, and never where it runs.
    file: '@temporalio/worker/lib/workflow/bundler.js',
    apply: () => `
      exports.defaultWorkflowInterceptorModules = [];
      exports.bundleWorkflowCode = () => { throw new Error('Expected bundled workflows, got none. Set OKRA_WORKFLOW_BUNDLE, or install the package again.'); };
      exports.WorkflowCodeBundler = class { createBundle = exports.bundleWorkflowCode; };
    `,
  },
];
