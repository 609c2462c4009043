export interface Finding {
  id: string;
  level: 'high' | 'medium' | 'low';
  message: string;
  location: string | null;
}

export interface Scan {
  tools: { name: string; version: string }[];
  findings: Finding[];
}

export interface Findings {
  tool: { name: string; version: string };
  high: number;
  medium: number;
  low: number;
  total: number;
  /** The first 100; levels are high, medium and low. */
  findings: { id: string; level: string; message: string; location: string | null }[];
}
