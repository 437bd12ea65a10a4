// Stands in for the file system of a pod, when it is loaded before a program (NODE_OPTIONS=--import=…): what is read in
// the folder of the service account is read in the folder that POD_SERVICE_ACCOUNT names.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const mounted = '/var/run/secrets/kubernetes.io/serviceaccount/';
const folder = `${process.env['POD_SERVICE_ACCOUNT']}/`;

const at = <Path>(path: Path): Path | string =>
  typeof path === 'string' && path.startsWith(mounted) ? folder + path.slice(mounted.length) : path;

const { accessSync, existsSync, readFileSync } = fs;
const { readFile } = fs.promises;
Object.assign(fs, {
  accessSync: (...[path, mode]: Parameters<typeof accessSync>) => accessSync(at(path), mode),
  existsSync: (path: Parameters<typeof existsSync>[0]) => existsSync(at(path)),
  readFileSync: (...[path, options]: Parameters<typeof readFileSync>) => readFileSync(at(path), options),
});
Object.assign(fs.promises, {
  readFile: (...[path, options]: Parameters<typeof readFile>) => readFile(at(path), options),
});
syncBuiltinESMExports();
