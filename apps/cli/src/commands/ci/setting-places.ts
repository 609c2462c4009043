import { longFlag } from '../../run/resolve-settings.ts';
import type { Session } from '../../run/session.ts';
import { type AnySettingName, settingOf } from '../../run/settings.ts';
import type { KnownValue } from './known-values.ts';

export interface Place {
  readonly setting: string;
  readonly place: string;
  readonly state: 'used' | 'not set' | 'passed over';
}

/** The sources of a value, in order of precedence. */
export function placesOf(session: Session, name: AnySettingName): Place[] {
  const { env, file, context, fromCi } = settingOf(name);
  const { io, project, sources } = session;
  const source = sources[name];
  const stateOf = (place: string, isSet: boolean): Place['state'] => {
    if (source === place) return 'used';
    return isSet ? 'passed over' : 'not set';
  };
  const isFromContext = source?.startsWith('context ') === true;
  const places: (Omit<Place, 'setting'> | false | undefined)[] = [
    { place: longFlag(name), state: stateOf(longFlag(name), false) },
    env !== undefined && { place: env, state: stateOf(env, io.env[env] !== undefined) },
    file !== undefined && projectPlace(project, file, stateOf),
    context && { place: isFromContext ? (source ?? '') : 'context', state: isFromContext ? 'used' : 'not set' },
    fromCi && ciPlace(fromCi(session.ci())?.source, source, stateOf),
  ];
  return places.flatMap((place) => (place ? [{ setting: name, ...place }] : []));
}

type StateOf = (place: string, isSet: boolean) => Place['state'];

function projectPlace(project: Session['project'], file: string, stateOf: StateOf): Omit<Place, 'setting'> {
  if (!project) return { place: '.waymark.yml (none found)', state: 'not set' };
  const isSet = project.values[file] !== undefined;
  return { place: project.path, state: isSet ? stateOf(project.path, true) : 'not set' };
}

function ciPlace(found: string | undefined, source: string | undefined, stateOf: StateOf): Omit<Place, 'setting'> {
  if (found === undefined) return { place: 'the CI system and git', state: 'not set' };
  return { place: found, state: source === found ? 'used' : stateOf(found, true) };
}

/** How far a setting is trusted: as a user's value, unless it comes from the build. */
export function trustOf(session: Session, name: AnySettingName): KnownValue['trust'] {
  const source = session.sources[name];
  if (source === 'built in') return 'built in';
  const { commit } = session.ci();
  return name === 'trail' && commit !== undefined && source === commit.source ? commit.trust : 'user';
}
