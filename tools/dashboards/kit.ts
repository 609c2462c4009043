import type { Builder } from '@grafana/grafana-foundation-sdk/cog';
import {
  type Dashboard,
  DashboardBuilder,
  DashboardCursorSync,
  DatasourceVariableBuilder,
  type Panel,
  QueryVariableBuilder,
  RowBuilder,
  ThresholdsConfigBuilder,
  ThresholdsMode,
  VariableRefresh,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder as StatPanelBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as TimeseriesPanelBuilder } from '@grafana/grafana-foundation-sdk/timeseries';

const DATASOURCE = { type: 'prometheus', uid: '${datasource}' };
/** Grafana's grid has 24 columns. */
const [STAT_WIDTH, STAT_HEIGHT, LINES_WIDTH, LINES_HEIGHT] = [4, 4, 12, 8];

export type Unit = 'short' | 'reqps' | 's' | 'percentunit' | 'bytes' | 'ops';

interface PanelText {
  readonly title: string;
  /** What it shows, and when it is a reason to worry. */
  readonly about: string;
  readonly unit: Unit;
}

interface Lines extends PanelText {
  /** Expressions by the legend of their lines. */
  readonly lines: Readonly<Record<string, string>>;
}

interface Stat extends PanelText {
  readonly expr: string;
  /** From here on it is shown in red. */
  readonly badFrom?: number;
  /** Below this it is shown in red. */
  readonly badBelow?: number;
}

/** Figures over time. */
export function lines({ title, about, unit, lines }: Lines): Builder<Panel> {
  const panel = new TimeseriesPanelBuilder()
    .title(title)
    .description(about)
    .unit(unit)
    .min(0)
    .fillOpacity(8)
    .span(LINES_WIDTH)
    .height(LINES_HEIGHT)
    .datasource(DATASOURCE);
  for (const [index, [legend, expr]] of Object.entries(lines).entries()) {
    panel.withTarget(
      new DataqueryBuilder()
        .expr(expr)
        .legendFormat(legend)
        .range()
        .refId(String.fromCharCode(65 + index)),
    );
  }
  return panel;
}

/** One figure, as of now. */
export function stat({ title, about, unit, expr, badFrom, badBelow }: Stat): Builder<Panel> {
  const panel = new StatPanelBuilder()
    .title(title)
    .description(about)
    .unit(unit)
    .span(STAT_WIDTH)
    .height(STAT_HEIGHT)
    .datasource(DATASOURCE)
    .withTarget(new DataqueryBuilder().expr(expr).instant().refId('A'));
  const [low, limit, high] =
    badBelow === undefined ? (['green', badFrom, 'red'] as const) : (['red', badBelow, 'green'] as const);
  if (limit === undefined) return panel;
  return panel.thresholds(
    new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps([
      { value: null, color: low },
      { value: limit, color: high },
    ]),
  );
}

interface DashboardText {
  readonly uid: string;
  readonly title: string;
  readonly about: string;
  /** Panels by the title of their row. */
  readonly rows: Readonly<Record<string, readonly Builder<Panel>[]>>;
}

/** A dashboard over the scrape jobs that somebody chooses, of any Prometheus. */
export function dashboard({ uid, title, about, rows }: DashboardText): Dashboard {
  const builder = new DashboardBuilder(`Waymark / ${title}`)
    .uid(uid)
    .description(about)
    .tags(['waymark'])
    .timezone('browser')
    .refresh('30s')
    .time({ from: 'now-3h', to: 'now' })
    .tooltip(DashboardCursorSync.Crosshair)
    .withVariable(new DatasourceVariableBuilder('datasource').label('Data source').type('prometheus'))
    .withVariable(
      new QueryVariableBuilder('job')
        .label('Job')
        .datasource(DATASOURCE)
        .query('label_values(up{job=~"waymark.*"}, job)')
        .refresh(VariableRefresh.OnTimeRangeChanged)
        .multi(true)
        .includeAll(true)
        .allValue('waymark.*'),
    );
  for (const [name, panels] of Object.entries(rows)) {
    builder.withRow(new RowBuilder(name));
    for (const panel of panels) builder.withPanel(panel);
  }
  const built = builder.build();
  // Grafana needs a number for each panel, and the rows would all be 0.
  return { ...built, panels: (built.panels ?? []).map((panel, index) => ({ ...panel, id: index + 1 })) };
}
