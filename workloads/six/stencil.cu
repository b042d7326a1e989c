// 5-point 2D Jacobi stencil, 16x16 tile + halo in shared memory, several steps
#define BX 16
#define BY 16
extern "C" __global__ void stencil(const float*in,float*out,int w,int h,float c0,float c1){
  __shared__ float s[BY+2][BX+2];
  int tx=threadIdx.x,ty=threadIdx.y,x=blockIdx.x*BX+tx,y=blockIdx.y*BY+ty;
  float v=in[y*w+x]; s[ty+1][tx+1]=v;
  if(tx==0)    s[ty+1][0]   = x>0  ? in[y*w+x-1]   : v;
  if(tx==BX-1) s[ty+1][BX+1]= x<w-1? in[y*w+x+1]   : v;
  if(ty==0)    s[0][tx+1]   = y>0  ? in[(y-1)*w+x] : v;
  if(ty==BY-1) s[BY+1][tx+1]= y<h-1? in[(y+1)*w+x] : v;
  __syncthreads();
  out[y*w+x]=c0*s[ty+1][tx+1]+c1*(s[ty][tx+1]+s[ty+2][tx+1]+s[ty+1][tx]+s[ty+1][tx+2]);
}
