import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

/** Where Debian's packages put programs; others of the same name, earlier in the PATH, are not asked. */
export const SYSTEM_PATH = '/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * The Debian packages that containers need here, each with a program of it.
 * @type {Readonly<Record<string, string>>}
 */
const packages = {
  'docker.io': 'dockerd',
  containerd: 'containerd',
  runc: 'runc',
  iproute2: 'ip',
  iptables: 'iptables',
  mmdebstrap: 'mmdebstrap',
  'containernetworking-plugins': '../lib/cni/bridge',
};

/** @param {string} program */
const isThere = (program) =>
  SYSTEM_PATH.split(':').some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

/**
 * Says what keeps containers from running here; undefined where nothing does.
 * @returns {string | undefined}
 */
export function whyNoContainers() {
  if (process.platform !== 'linux') return `they need Linux, this is ${process.platform}`;
  if (process.getuid?.() !== 0) return 'they need root';
  const missing = Object.entries(packages).filter(([, program]) => !isThere(program));
  if (missing.length === 0) return undefined;
  const names = missing.map(([name]) => name).join(' ');
  return `not installed: ${names}. On Debian: apt-get install --no-install-recommends ${names}`;
}
