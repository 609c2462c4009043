/** When a record may be erased at the earliest: so many years after it was made, by the calendar in UTC. */
export function retainedUntil(recordedAt: Date, years: number): Date {
  const until = new Date(recordedAt);
  until.setUTCFullYear(until.getUTCFullYear() + years);
  return until;
}
