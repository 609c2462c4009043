export function epochSeconds(at: Date): number {
  return at.getTime() / 1000;
}

export function systemClock(): Date {
  return new Date();
}

export function fromEpochSeconds(seconds: number): Date {
  return new Date(seconds * 1000);
}
