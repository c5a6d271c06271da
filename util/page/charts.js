// charts.js - the parts of Apache ECharts that the page draws with; what is not named here is left out of the bundle
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
import { CanvasRenderer } from 'echarts/renderers';

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
]);
globalThis.darshanCharts = { init: echarts.init };
