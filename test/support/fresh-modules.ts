import { vi } from 'vitest';

// Unit tests share a process: each file evaluates the project's modules for itself, so that none has what another replaced.
vi.resetModules();
