import { join } from 'node:path';
import { installPython, pythonPrograms } from '../services/python.ts';

/** Installs the checker of the API description. Returns the folder of its programs. */
export async function installSchemathesis(): Promise<string> {
  await installPython('schemathesis', join(import.meta.dirname, 'requirements.txt'));
  return pythonPrograms('schemathesis');
}
