// charts.js - the parts of Apache ECharts used by the page; others are not bundled
// SPDX-License-Identifier: BSD-3-Clause
import * as echarts from 'echarts/core';
import { BarChart, BoxplotChart, CustomChart, LineChart, ScatterChart } from 'echarts/charts';
import {
    DataZoomComponent,
    GridComponent,
    LegendComponent,
    MarkLineComponent,
    TooltipComponent,
} from 'echarts/components';
import { CanvasRenderer, SVGRenderer } from 'echarts/renderers';

echarts.use([
    BarChart,
    BoxplotChart,
    CustomChart,
    LineChart,
    ScatterChart,
    DataZoomComponent,
    GridComponent,
    LegendComponent,
    MarkLineComponent,
    TooltipComponent,
    CanvasRenderer,
    SVGRenderer,
]);
globalThis.darshanCharts = { init: echarts.init };
