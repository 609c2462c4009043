import type { EnvironmentType } from '@waymark/contract';

/** Returns whether two types are names of the same kind of environment. */
export function isSameKind(one: EnvironmentType, other: EnvironmentType): boolean {
  return typesLike(one).includes(other);
}

/** Returns every type that names the same kind of environment. */
export function typesLike(type: EnvironmentType): readonly EnvironmentType[] {
  return type === 'cloudx-apps' || type === 'azure-apps' ? ['cloudx-apps', 'azure-apps'] : [type];
}
