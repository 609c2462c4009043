import { readFileSync } from 'node:fs';

type Env = Readonly<Record<string, string | undefined>>;

/** Takes secrets, and texts of several lines, from the files that variables with `_FILE` at their end name, as container platforms mount them. */
export function readSecretFiles(
  env: Env,
  names: readonly string[],
  mayBeFile: (name: string) => boolean,
): { values: Env; problems: string[] } {
  const values = { ...env };
  const problems: string[] = [];
  for (const name of names) {
    const file = env[`${name}_FILE`];
    if (file === undefined) continue;
    if (!mayBeFile(name)) problems.push(`${name}_FILE is not a setting: only secrets can be read from files`);
    else if (env[name] !== undefined) problems.push(`${name} and ${name}_FILE are mutually exclusive: set only one`);
    else {
      try {
        values[name] = readFileSync(file, 'utf8').trim();
      } catch (error) {
        problems.push(`${name}_FILE cannot be read: ${(error as Error).message}`);
      }
    }
  }
  return { values, problems };
}
