import { setSourceMapsSupport } from 'node:module';

// Stack traces of the bundled package tell of the sources. Maps are read for what is loaded from here on; the workflows
// carry their own, which the Temporal SDK reads.
setSourceMapsSupport(true, { nodeModules: false, generatedCode: false });
