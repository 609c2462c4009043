export interface EvidenceFile {
  name: string;
  bytes: Uint8Array;
}
