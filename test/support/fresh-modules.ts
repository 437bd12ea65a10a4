import { vi } from 'vitest';

// Files of tests share a process: each evaluates the project's modules for itself, so that none has what another replaced.
vi.resetModules();
